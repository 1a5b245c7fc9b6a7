
jit_fmain 