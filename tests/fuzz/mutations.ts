import { attributes, MAX_BODY_BYTES, type Message, messageTypes, topics } from "@toolbus/contracts";
import { type BodyMutation, bodyMutations } from "./body-mutations.ts";
import { type Known, validMessage } from "./valid-messages.ts";

/** Makes a changed message from a valid one. */
export type Mutation = (given: Message, known: Known, earlier: readonly Message[]) => Message;

/** The mutations of a message. Each makes one fault, except "nothing", which leaves the message unchanged. */
export const mutations: readonly (readonly [name: string, mutate: Mutation])[] = [
  ["nothing", (given) => given],
  ...Object.entries(bodyMutations).map(([name, mutate]) => [name, ofBody(mutate)] as const),
  ["a body of another topic", (given, known) => ({ ...given, body: validMessage(known.random.pick(SOME_TOPICS), known).body })],
  ["a body that is too large", (given) => ({ ...given, body: given.body.replace("{", `{${PADDING}`) })],
  [
    "a body of too many bytes",
    (given, { random }) => ({ ...given, body: random.pick(["é", "💥", "\u0000", "\ud800"]).repeat(MAX_BODY_BYTES / 2 + 1) }),
  ],

  ["another type", (given, { random }) => ({ ...given, type: random.pick(Object.values(messageTypes)) })],
  [
    "a type that nobody knows",
    (given, { random }) => ({
      ...given,
      type: random.pick(["", "__proto__", `${given.type} `, given.type.toUpperCase(), random.noise(30)]),
    }),
  ],

  ["from long ago", (given, { random, now }) => ({ ...given, time: new Date(random.pick([0, now - 25 * HOUR, now - 3e9])).toISOString() })],
  ["from the future", (given, { random, now }) => ({ ...given, time: new Date(now + random.pick([25 * HOUR, 1e12])).toISOString() })],
  ["within a day", (given, { random, now }) => ({ ...given, time: new Date(now + (random.next() * 2 - 1) * 23 * HOUR).toISOString() })],
  [
    "at no time",
    (given, { random }) => ({
      ...given,
      time: random.pick([
        "",
        "now",
        "0",
        "2030-02-31",
        "9999-99-99T99:99:99Z",
        "2030-05-01 12:00:00Z",
        "+275760-09-13T00:00:00.001Z",
        random.noise(30),
      ]),
    }),
  ],

  ["no attributes", (given) => ({ ...given, attributes: {} })],
  ["an attribute missing", (given, { random }) => withAttribute(given, random.pick([...Object.keys(given.attributes), "none"]), undefined)],
  ["an odd attribute", (given, { random }) => withAttribute(given, random.pick(ATTRIBUTES), random.pick(ODD_VALUES(random.noise(50))))],
  [
    "a long attribute",
    (given, { random }) => withAttribute(given, random.pick(ATTRIBUTES), random.pick(["x", "é"]).repeat(random.pick([300, 5000, 30_000]))),
  ],
  [
    "attributes in capitals",
    (given) => ({
      ...given,
      attributes: Object.fromEntries(Object.entries(given.attributes).map(([name, value]) => [name.toUpperCase(), value])),
    }),
  ],
  [
    "attributes that nobody knows",
    (given, { random }) => ({
      ...given,
      attributes: { ...given.attributes, ...Object.fromEntries(Array.from({ length: 30 }, () => [random.noise(20), random.noise(50)])) },
    }),
  ],
  [
    "attributes named like prototypes",
    (given) => ({ ...given, attributes: { ...given.attributes, ...JSON.parse('{"__proto__":"x","constructor":"x","toString":"x"}') } }),
  ],
  [
    "attributes that are too large",
    (given, { random }) => withAttribute(given, random.pick(ATTRIBUTES), random.pick(["x", "é", "\u0000"]).repeat(66_000)),
  ],
  [
    "too many attributes",
    (given) => ({
      ...given,
      attributes: { ...given.attributes, ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, "x".repeat(250)])) },
    }),
  ],

  ["an id that came before", (given, { random }, earlier) => ({ ...given, id: earlier.length > 0 ? random.pick(earlier).id : given.id })],
  ["a message that came before", (given, { random }, earlier) => (earlier.length > 0 ? random.pick(earlier) : given)],
  ["an odd id", (given, { random }) => ({ ...given, id: random.pick(["", "__proto__", "x".repeat(20_000), random.noise(60)]) })],
  ["an odd source", (given, { random }) => ({ ...given, source: random.pick(["", "x".repeat(20_000), random.noise(60)]) })],
  [
    "another correlation",
    (given, { random }) => ({ ...given, correlationId: random.pick(["", "rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0", random.noise(60)]) }),
  ],
  [
    "another place to answer",
    (given, { random }) => ({
      ...given,
      replyTo: random.pick(["", "tool.result.nobody", "run.wake", "tool.result.>", "tool.result.*", random.noise(60)]),
    }),
  ],
];

/** These mutations are expensive to make and to transport, so they are drawn less often. */
const HEAVY: ReadonlySet<string> = new Set([
  "a body that is too large",
  "a body of too many bytes",
  "attributes that are too large",
  "too many attributes",
  "deeply nested",
]);

/** Returns the mutation for the nth message of a topic. First each mutation is used once, in order. Later ones are drawn at random. */
export function mutationFor(nth: number, { random }: Pick<Known, "random">): (typeof mutations)[number] {
  const inTurn = mutations[nth];
  if (inTurn) return inTurn;
  const drawn = random.pick(mutations);
  return HEAVY.has(drawn[0]) && random.chance(0.9) ? random.pick(mutations) : drawn;
}

const HOUR = 3_600_000;
const PADDING = " ".repeat(MAX_BODY_BYTES);
const SOME_TOPICS: readonly string[] = [
  topics.runWake,
  topics.approvalRequest,
  topics.approvalCancel,
  topics.operationsReplay,
  topics.toolRefresh,
];
const ATTRIBUTES: readonly string[] = Object.values(attributes);
const ODD_VALUES = (noise: string): readonly string[] => [
  "",
  " ",
  "-1",
  "1e999",
  "NaN",
  "9".repeat(40),
  "__proto__",
  "null",
  "{}",
  '{"status":"ok"}',
  "eyJ.e30.",
  "a.b.c",
  noise,
];

function ofBody(mutate: BodyMutation): Mutation {
  return (given, { random }) => ({ ...given, body: mutate(given.body, random) });
}

function withAttribute(given: Message, name: string, value: string | undefined): Message {
  const { [name]: _, ...rest } = given.attributes;
  return { ...given, attributes: value === undefined ? rest : { ...rest, [name]: value } };
}
