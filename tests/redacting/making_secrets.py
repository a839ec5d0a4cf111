"""Values that have the form of secrets and are none, put together here so that no scanner takes them for some."""

import random

from tidegate.redacting.finding import Finder
from tidegate.redacting.labels import Labels, rule_key
from tidegate.redacting.redactor import Redactor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ENCODINGS = ("base64", "base64url", "hex", "url", "json")


def run(length, letters=LETTERS):
    """So many letters, always the same."""
    return "".join(random.Random(length).choices(letters, k=length))


HEX = "0123456789abcdef"
PRIVATE_KEY = f"-----BEGIN {'PRIVATE'} KEY-----\n{run(64)}\n{run(40)}\n-----END {'PRIVATE'} KEY-----"

SECRETS = {
    "aws-access-key": "AK" + "IA" + run(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "aws-secret-key": "aws_secret_" + "access_key = " + run(40),
    "aws-session-token": "AWS_SESSION_" + 'TOKEN="' + run(120) + '"',
    "gcp-api-key": "AI" + "za" + run(35),
    "gcp-oauth-token": "ya" + "29." + run(60),
    "gcp-oauth-secret": "GOC" + "SPX-" + run(28),
    "azure-storage-key": "Account" + "Key=" + run(86) + "==",
    "azure-sas": "https://x.test/a?se=1&si" + "g=" + run(43) + "=",
    "digitalocean-token": "dop_" + "v1_" + run(64, HEX),
    "databricks-token": "da" + "pi" + run(32, HEX),
    "vault-token": "hv" + "s." + run(90),
    "terraform-token": run(14) + ".atlas" + "v1." + run(67),
    "github-token": "gh" + "p_" + run(36),
    "gitlab-token": "gl" + "pat-" + run(20),
    "npm-token": "np" + "m_" + run(36),
    "pypi-token": "py" + "pi-" + run(90),
    "rubygems-token": "ruby" + "gems_" + run(48, HEX),
    "docker-token": "dckr" + "_pat_" + run(27),
    "huggingface-token": "h" + "f_" + run(34),
    "anthropic-key": "sk-" + "ant-api03-" + run(90),
    "openai-key": "sk-" + "proj-" + run(60),
    "openrouter-key": "sk-" + "or-v1-" + run(64, HEX),
    "slack-token": "xo" + "xb-" + run(12, "0123456789") + "-" + run(24),
    "slack-webhook": "https://hooks.slack" + ".com/services/T" + run(8) + "/B" + run(8) + "/" + run(24),
    "stripe-key": "sk" + "_live_" + run(24),
    "twilio-key": "S" + "K" + run(32, HEX),
    "sendgrid-key": "S" + "G." + run(22) + "." + run(43),
    "telegram-token": run(9, "123456789") + ":" + run(35),
    "shopify-token": "shp" + "at_" + run(32, HEX),
    "jwt": "ey" + "J" + run(30) + ".ey" + "J" + run(40) + "." + run(43),
    "private-key": PRIVATE_KEY,
    "age-key": "AGE-SECRET-" + "KEY-1" + run(58, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    "url-password": "postgres://app:" + run(12) + "@db.test/orders",
    "connection-password": "Server=db.test;User Id=app;Pass" + "word=" + run(12) + ";",
    "authorization-header": "Authorization: Bea" + "rer " + run(40),
}

NEAR_MISSES = {
    "aws-access-key": "AK" + "IA" + run(12, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "aws-secret-key": "aws_secret_" + "access_key = ${SECRET}",
    "aws-session-token": "AWS_SESSION_" + "TOKEN=$TOKEN",
    "gcp-api-key": "AI" + "za" + run(20),
    "gcp-oauth-token": "ya" + "29.short",
    "gcp-oauth-secret": "GOC" + "SPX-short",
    "azure-storage-key": "Account" + "Key=" + run(20) + "==",
    "azure-sas": "https://x.test/a?si" + "g=short",
    "digitalocean-token": "dop_" + "v1_" + run(20, HEX),
    "databricks-token": "da" + "pi" + run(12, HEX),
    "vault-token": "hv" + "s.short",
    "terraform-token": run(14) + ".atlas" + "v1.short",
    "github-token": "gh" + "p_" + run(10),
    "gitlab-token": "gl" + "pat-" + run(8),
    "npm-token": "np" + "m_config_registry",
    "pypi-token": "py" + "pi-package-name",
    "rubygems-token": "ruby" + "gems_" + run(12, HEX),
    "docker-token": "dckr" + "_pat_short",
    "huggingface-token": "h" + "f_hub_download",
    "anthropic-key": "sk-" + "ant-hill",
    "openai-key": "ta" + "sk-" + run(40),
    "openrouter-key": "sk-" + "or-v1-" + run(20, HEX),
    "slack-token": "xo" + "xb-short",
    "slack-webhook": "https://hooks.slack" + ".com/services/",
    "stripe-key": "sk" + "_live_short",
    "twilio-key": "TA" + "SK" + run(32, HEX),
    "sendgrid-key": "S" + "G." + run(22) + "." + run(10),
    "telegram-token": "12:34:56 " + run(35),
    "shopify-token": "shp" + "at_" + run(12, HEX),
    "jwt": "ey" + "J" + run(30) + "." + run(43),
    "private-key": f"-----BEGIN PUBLIC KEY-----\n{run(64)}\n-----END PUBLIC KEY-----",
    "age-key": "AGE-SECRET-" + "KEY-1" + run(20, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "url-password": "https://db.test:8443/a@b",
    "connection-password": "the pass" + "word=" + run(12),
    "authorization-header": "Authorization: Bea" + "rer $TOKEN",
}


def redactor(*detectors, encodings=ENCODINGS, depth=2, style="label", rule="the-rule"):
    """A redactor of what these detectors find."""
    labels = Labels(style, [one.label for one in detectors], rule_key(rule))
    return Redactor(Finder(detectors, encodings, depth), labels)
