"""Settings that every test shares: how many examples a property gets."""

import os

from hypothesis import HealthCheck, settings

SLOW_IS_FINE = [HealthCheck.too_slow]

settings.register_profile("dev", max_examples=100, deadline=None)
# CI is the same on every run, and says how to run a failure again.
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, print_blob=True, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
