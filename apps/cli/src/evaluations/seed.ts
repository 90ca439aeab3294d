/** The seed of every drawn interval. It is fixed, so that the same files always give the same figures. */
export const SEED = 20_261_129;
