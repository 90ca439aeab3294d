import type { ModelFacts } from "../facts/model-facts.ts";
import type { ModelProvider } from "../model-provider.ts";
import { findProgram, readCliCommand } from "./cli-command.ts";
import { cliModel } from "./cli-model.ts";

export interface CliSettings {
  readonly model: string;
  /** The text of `LLM_CLI_COMMAND`. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly facts: ModelFacts;
}

/** Returns the model behind a command. Throws `ModelRefused` if the command is malformed or its program does not exist. */
export async function connectCli({ model, command, environment, facts }: CliSettings): Promise<ModelProvider> {
  const read = readCliCommand(command);
  return cliModel({ model, program: await findProgram(read, environment), args: read.args, environment, facts });
}
