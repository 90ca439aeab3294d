import type { TranscriptCall, TranscriptEntry } from "@toolbus/contracts";
import fc from "fast-check";
import { resultEntry, runId, userEntry } from "./requests.ts";

/** Names that toolsets and MCP servers use. Some of them are offered. */
const toolName = fc.constantFrom("lookup_order", "restock_item", "orders.lookup", "get-Status", `long_${"x".repeat(70)}`);

/** Ids of every vendor and of seed turns, and malformed ids. */
const callId = fc.oneof(
  fc.constantFrom("seed_lookup_order", "call_0", "call_1", "toolu_01A", "off_0", "a.b:c/d", "ä", "id with spaces", "x".repeat(200)),
  fc.string({ minLength: 1, maxLength: 20 }),
);

const argumentsText = fc.oneof(
  fc.constantFrom("{}", "", '{"id":', "[1,2]", "null", '"text"', '{"id":"7","count":3}', '{"id":12345678901234567890}'),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }).map((value) => JSON.stringify(value)),
);

const text = fc.oneof(
  fc.constantFrom("", " ", "\n", "Look at it.", "好的 👍 ça va", "half \ud83d of it", "a\u0000b"),
  fc.string({ maxLength: 40, unit: "binary" }),
);

const content = fc.oneof(text, argumentsText);

const user = text.map((said): readonly TranscriptEntry[] => [userEntry(said)]);

/** A payload that another vendor or an earlier version may have stored with a turn. */
const foreignPayload = fc.record({
  api: fc.constantFrom("other.vendor", "anthropic.messages", "bedrock.converse", "openai.chat", "openai.responses"),
  model: fc.constantFrom("other-model", "claude-sonnet-5-5"),
  payload: fc.oneof(
    fc.constant(null),
    fc.constant([]),
    fc.constant([{ type: "text", text: "Not what was said." }]),
    fc.constant({ role: "assistant" }),
  ),
});

/** A turn followed by its results, in the order of its calls. */
const turn = fc
  .record({
    text,
    calls: fc.uniqueArray(fc.record({ id: callId, name: toolName, arguments: argumentsText }), { maxLength: 4, selector: ({ id }) => id }),
    results: fc.array(fc.record({ content, isError: fc.boolean() }), { minLength: 4, maxLength: 4 }),
    vendor: fc.option(foreignPayload, { nil: undefined, freq: 4 }),
  })
  .map((made): readonly TranscriptEntry[] => {
    const calls = made.calls.map((call, n): TranscriptCall => ({ ...call, callId: `${runId}.1.${n}` }));
    const { vendor } = made;
    const entry: TranscriptEntry = {
      type: "assistant",
      runId,
      round: 1,
      text: made.text,
      calls,
      at: 0,
      provider: "other",
      model: "other-model",
      ...(vendor ? { vendor } : {}),
    };
    const results = calls.map(({ id, name }, n) => resultEntry(id, name, made.results[n]?.content ?? "", made.results[n]?.isError));
    return [entry, ...results];
  });

/**
 * Any paired transcript. It may begin and end with a turn and have adjacent turns and messages. Its ids may repeat in later turns, and vendors may
 * refuse them. It may contain arguments that are not JSON, blank texts and half characters.
 */
export const anyTranscript: fc.Arbitrary<readonly TranscriptEntry[]> = fc
  .array(fc.oneof(user, turn), { maxLength: 8 })
  .map((parts) => parts.flat());
