/** The options of every command that reads or writes baselines. */
export interface BaselineOptions {
  readonly folder: string;
}

/** The options of `toolbus eval baseline save`. */
export interface SaveOptions extends BaselineOptions {
  readonly replace?: true;
}

/** The options of `toolbus eval baseline compare`, besides the folder. */
export interface CompareOptions {
  readonly over: string;
  readonly failOnRegression?: true;
  readonly ignoreUncertain?: true;
  readonly variant?: string;
}
