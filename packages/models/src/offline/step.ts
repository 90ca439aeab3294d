/** What the rules say in one turn, and the calls that they make. Without a call the run is over. */
export interface Step {
  readonly text: string;
  readonly calls: readonly StepCall[];
}

export interface StepCall {
  readonly name: string;
  /** JSON text, as it goes into the transcript. */
  readonly arguments: string;
}
