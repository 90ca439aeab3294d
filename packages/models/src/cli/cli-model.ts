import { freeCallIds } from "../adapter/call-ids.ts";
import { ProviderError } from "../model-errors.ts";
import type { ModelFacts } from "../facts/model-facts.ts";
import type { ModelCall, ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { tokenEstimates } from "../tokens/estimate-tokens.ts";
import { textTokens } from "../tokens/text-tokens.ts";
import { tokenizer } from "../tokens/tokenizer.ts";
import { assertPaired } from "../pairing.ts";
import type { WireTools } from "../adapter/wire-tools.ts";
import { type CliAnswer, readAnswer } from "./cli-answer.ts";
import { cliPrompt } from "./cli-prompt.ts";
import { outputWords } from "./output-words.ts";
import { type ProgramEnd, runProgram } from "./run-program.ts";

export interface CliModelSettings {
  /** The name of the model, which the command receives and may use. */
  readonly model: string;
  /** The full path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the command's process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly facts: ModelFacts;
}

/** EX_TEMPFAIL of sysexits.h. With this exit code, the command says that the same request may succeed later. */
const TRY_AGAIN = 75;
/** The variables that every program receives and that are not secret. */
const PLAIN_VARIABLES: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG"]);

/**
 * Returns a program as a model. Each turn is one process, which reads the whole prompt as JSON from standard input and writes its answer as JSON to
 * standard output. docs/models.md describes the protocol, with examples. Text arrives as one piece. Tokens are estimated if the command does not
 * report them.
 */
export function cliModel({ model, program, args, environment, facts }: CliModelSettings): ModelProvider {
  const secrets = Object.entries(environment).flatMap(([name, value]) => (PLAIN_VARIABLES.has(name) || value.length < 6 ? [] : [value]));
  const { contextTokens, maxOutputTokens, tools = true, resultChars } = facts;
  return {
    name: "cli",
    model,
    dialect: "cli",
    capabilities: { tools, streaming: false, vision: false, sampling: true, contextTokens, maxOutputTokens, resultChars },
    complete,
    ...estimates,
  };

  async function complete(request: ModelRequest, { signal, onText }: ModelContext): Promise<ModelReply> {
    assertPaired(request.transcript);
    signal.throwIfAborted();
    const prompt = cliPrompt(request, model);
    const end = await runProgram({ program, args, environment, input: prompt.document, signal });
    const answer = answerOf(end);
    const reply = replyOf(answer, request, prompt.tools);
    if (reply.text !== "") onText(reply.text);
    signal.throwIfAborted();
    return reply;
  }

  function answerOf({ code, killedBy, stdout, stderr }: ProgramEnd): CliAnswer {
    if (code !== 0) {
      const how = code === null ? `was ended by ${killedBy ?? "a signal"}` : `ended with exit code ${code}`;
      throw new ProviderError(
        `The model's command ${how}${saidIn(stderr)}: run it by hand to see why.`,
        code === null || code === TRY_AGAIN,
      );
    }
    const read = readAnswer(stdout);
    if (read.ok) return read.answer;
    // The error is retryable, because a language model that added other text may follow the form at the next try.
    throw new ProviderError(`The model's command answered ${read.why}${saidIn(stdout)}: docs/models.md says what it has to print.`, true);
  }

  function saidIn(output: string): string {
    const words = outputWords(output, secrets);
    return words === "" ? "" : ` (it wrote: ${words})`;
  }

  function replyOf(answer: CliAnswer, request: ModelRequest, tools: WireTools): ModelReply {
    const ids = freeCallIds(
      answer.calls.map(() => ""),
      request.transcript,
    );
    const reported = tools.offered.length > 0;
    const calls: readonly ModelCall[] = reported
      ? answer.calls.map((call, n) => ({ id: ids[n] ?? "", ...tools.restored(call.name, call.arguments) }))
      : [];
    const outputTokens = textTokens(answer.text + calls.map((call) => call.arguments).join(""), tokenizer().count);
    const estimated = { inputTokens: estimates.estimateTokens(request.transcript, request.system), outputTokens, estimated: true };
    return { text: answer.text, calls, stop: calls.length > 0 ? "tool_use" : "end_turn", usage: answer.usage ?? estimated, model };
  }
}

/** The estimates for an unknown family, because nobody knows which model is behind the command. */
const estimates = tokenEstimates("other");
