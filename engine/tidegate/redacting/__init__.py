"""What `redact` is made of: what is looked for, in which encodings, and what stands in its place."""
