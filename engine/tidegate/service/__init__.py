"""The HTTP decision service: clients ask over HTTP, and whatever goes wrong is a deny."""
