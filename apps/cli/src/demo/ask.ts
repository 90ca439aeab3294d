import { createInterface } from "node:readline/promises";

export interface Answer {
  readonly decision: "approve" | "deny" | "revise";
  readonly comment?: string;
}

/** Asks one question and returns the answer. Rejects when the signal aborts, and returns null when the input ends. */
export async function askLine(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const lines = createInterface({ input, output });
  // Ctrl-C stops the demo, not only the question.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const { promise: closed, resolve: close } = Promise.withResolvers<null>();
  lines.once("close", () => close(null));
  try {
    return await Promise.race([lines.question(text, { signal }), closed]);
  } catch (error) {
    // Node rejects a question on Ctrl-D as if somebody had aborted it.
    if (!signal.aborted && error instanceof Error && error.name === "AbortError") return null;
    throw error;
  } finally {
    lines.close();
  }
}

/** Asks at the keyboard until the answer is one of the three decisions. Rejects when the signal aborts, and returns null when the input ends. */
export async function askApprover(input: NodeJS.ReadStream, output: NodeJS.WriteStream, signal: AbortSignal): Promise<Answer | null> {
  for (;;) {
    const said = await askLine(input, output, { text: "approve / deny / revise? ", signal });
    if (said === null) return null;
    const decision = meant(said.trim().toLowerCase());
    if (decision === null) {
      output.write("Please answer with approve, deny or revise.\n");
      continue;
    }
    if (decision === "approve") return { decision };
    const text = decision === "revise" ? "what should change? " : "why? (optional) ";
    const comment = await askLine(input, output, { text, signal });
    return { decision, ...(comment?.trim() ? { comment: comment.trim() } : {}) };
  }
}

function meant(said: string): Answer["decision"] | null {
  if (said === "") return null;
  return (
    (["approve", "deny", "revise"] as const).find((decision) => decision.startsWith(said)) ??
    (said === "yes" || said === "y" ? "approve" : said === "no" || said === "n" ? "deny" : null)
  );
}
