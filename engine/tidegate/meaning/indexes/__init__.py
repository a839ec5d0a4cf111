"""Which of many patterns could be about something: never too few, and seldom one too many."""
