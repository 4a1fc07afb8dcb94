def inverse_dynamics(model, q, *, wrenches=None, formulation='recursive', base=None):
    raise NotImplementedError
