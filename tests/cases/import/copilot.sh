copilot --allow-tool 'shell(git:*)' --deny-tool='shell(git push)' \
  --allow-tool write --allow-tool 'github(get_issue)' --deny-tool evil --allow-url github.com --deny-url https://evil.test
