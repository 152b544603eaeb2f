"""`python -m gtpbot`."""

import sys

from gtpbot.cli import main

sys.exit(main())
