"""How many rows an evaluation needs.

The power to see an error of each size, by the number of rows.
"""

import fitontest as fot

plan = fot.apps.plan_evaluation(n=[250, 1000, 4000], errors=[0.02, 0.05], draws=50)

plan.plot()
