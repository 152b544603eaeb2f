"""Floor 3: neural nets and their training.

How TensorFlow works is chosen here, as it looks but once, when Keras is imported first: whatever
imports it is below this package.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # its greetings are not for our users
# It multiplies by oneDNN of itself only where a processor has VNNI. A net of Go learns 1.3 times as
# fast by it on others too, such as AMD's before Zen 4.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
