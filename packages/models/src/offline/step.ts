/** The text of the rules in one turn, and their calls. The run ends with a turn without a call. */
export interface Step {
  readonly text: string;
  readonly calls: readonly StepCall[];
}

export interface StepCall {
  readonly name: string;
  /** The JSON text that is stored in the transcript. */
  readonly arguments: string;
}
