"""A proxy in front of an MCP server: every message is read, governed, written anew, and only then passed on.

`wire` reads and writes messages and `methods` lists those that are known; `client_side` and `server_side` take what
comes, on a `line` between one client and one server. What a client asks of the server is a governed call (`subjects`,
`gate`, `exchange`), and so is what the server asks of its client (`requests`); what the server says of itself is
watched (`offer`, `lists`), and what it returns goes through the output rules (`results`, `texts`). The transports are
`stdio` and `http`, which needs the extra `proxy` and is imported only then.
"""
