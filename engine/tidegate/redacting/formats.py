"""The formats of secrets that their issuers describe, each with where they do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..meaning.regexes import compile_regex
from .detectors import Detector, of_regex

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        # Cloud.
        # docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html, "Unique identifiers": keys, temporary
        # keys, bearer tokens of STS, context-specific credentials
        "aws-access-key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
        # docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html; 40 characters, as STS gives them
        "aws-secret-key": r"(?i)aws_?secret_?access_?key[\"'\\]{0,3}\s{0,9}[:=]\s{0,9}[\"'\\]{0,3}([a-z0-9/+]{40})",
        "aws-session-token": r"(?i)aws_?session_?token[\"'\\]{0,3}\s{0,9}[:=]\s{0,9}[\"'\\]{0,3}([a-z0-9/+=]{100,})",
        # cloud.google.com/docs/authentication/api-keys
        "gcp-api-key": r"AIza[A-Za-z0-9_-]{35}",
        # developers.google.com/identity/protocols/oauth2
        "gcp-oauth-token": r"ya29\.[A-Za-z0-9_-]{20,}",
        "gcp-oauth-secret": r"GOCSPX-[A-Za-z0-9_-]{28}",
        # learn.microsoft.com/azure/storage/common/storage-configure-connection-string; 64 bytes in base64
        "azure-storage-key": r"AccountKey=([A-Za-z0-9+/]{86}==)",
        # learn.microsoft.com/rest/api/storageservices/create-service-sas; an HMAC-SHA256 in base64, in a URL
        "azure-sas": r"[?&]sig=([A-Za-z0-9+/%]{43,}={0,2})",
        # docs.digitalocean.com/reference/api
        "digitalocean-token": r"do[opr]_v1_[0-9a-f]{64}",
        # docs.databricks.com/dev-tools/auth/pat
        "databricks-token": r"dapi[0-9a-f]{32}(?:-[0-9])?",
        # developer.hashicorp.com/vault/docs/concepts/tokens
        "vault-token": r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
        # developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens
        "terraform-token": r"[A-Za-z0-9]+\.atlasv1\.[A-Za-z0-9_-]{60,}",
        # Code and packages.
        # github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available: these letters,
        # and up to 255 of them
        "github-token": r"gh[pousr]_[A-Za-z0-9_]{36,255}|github_pat_[A-Za-z0-9_]{22,255}",
        # docs.gitlab.com/security/tokens, "Token prefixes"; an instance may put one of its own before them, and those
        # that say their cell have dots
        "gitlab-token": r"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|wt|soat|ffct)-[A-Za-z0-9_.-]{20,}",
        # docs.npmjs.com/about-access-tokens
        "npm-token": r"npm_[A-Za-z0-9]{36}",
        # pypi.org/help/#apitoken; a macaroon in base64url
        "pypi-token": r"pypi-[A-Za-z0-9_-]{50,}",
        # guides.rubygems.org/api-key-scopes
        "rubygems-token": r"rubygems_[0-9a-f]{48}",
        # docs.docker.com/security/access-tokens
        "docker-token": r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}",
        # huggingface.co/docs/hub/security-tokens
        "huggingface-token": r"hf_[A-Za-z0-9]{34,}",
        # Models.
        # platform.claude.com/docs/en/api/overview
        "anthropic-key": r"sk-ant-[A-Za-z0-9_-]{20,}",
        # platform.openai.com/docs/api-reference/authentication
        "openai-key": r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|\bsk-[A-Za-z0-9]{32,}",
        # openrouter.ai/docs/guides/features/guardrails/secret-formats
        "openrouter-key": r"sk-or-v1-[0-9a-f]{64}",
        # Messages and payments.
        # docs.slack.dev/authentication/tokens
        "slack-token": r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"
        r"|xwfp-[A-Za-z0-9-]{10,}",
        # docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
        "slack-webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
        # docs.stripe.com/keys and docs.stripe.com/webhooks
        "stripe-key": r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}",
        # twilio.com/docs/glossary/what-is-an-api-key
        "twilio-key": r"\bSK[0-9a-f]{32}\b",
        # twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
        "sendgrid-key": r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
        # core.telegram.org/bots/api#authorizing-your-bot
        "telegram-token": r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
        # shopify.dev/docs/apps/build/authentication-authorization
        "shopify-token": r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}",
        # Whatever the issuer.
        # RFC 7519 and RFC 7515: two JSON objects in base64url, and a signature
        "jwt": r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        # RFC 7468, RFC 4880 section 6.2 and OpenSSH's PROTOCOL.key; also without its end
        "private-key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-])*"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?",
        # github.com/FiloSottile/age
        "age-key": r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
        # RFC 3986 section 3.2.1: the password in a URL, as databases and brokers take it
        "url-password": r"[A-Za-z][A-Za-z0-9+.-]*://[^\s:/?#@\"'<>]*:([^\s/?#@\"'<>]+)@",
        # learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax
        "connection-password": r"(?i)(?:server|data source|host|address|endpoint|driver|dsn)=[^\n]*?"
        r"\b(?:password|pwd)=([^;\s\"']+)",
        # RFC 7617 and RFC 6750
        "authorization-header": r"(?i)\bauthorization[\"'\\]{0,3}\s{0,9}[:=]\s{0,9}[\"'\\]{0,3}(?:basic|bearer|token)"
        r"\s+([A-Za-z0-9._~+/=-]{8,})",
    }
)
"""Each format as a regular expression; where it has a group, that is the secret."""


def secret(name: str) -> Detector:
    """The detector of one format."""
    return of_regex(f"secret: {name}", compile_regex(FORMATS[name]), 0)
