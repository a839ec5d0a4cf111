"""What a kind is made of, one subject a file; `tidegate.kind` hands all of it on."""
