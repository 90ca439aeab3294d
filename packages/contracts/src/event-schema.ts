import { type Static, type TSchema, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** The members of an object, each with its schema. */
type Members = Readonly<Record<string, TSchema>>;

/** The TypeScript type of one kind of event. Its lists are read-only. */
export type EventOf<S extends TSchema> = Shown<Static<S>>;
type Shown<T> = { readonly [K in keyof T]: T[K] extends (infer E)[] ? readonly E[] : T[K] };

/** The schemas of events by their type. */
export type EventSchemas = Readonly<Record<string, EventSchema>>;
/** A schema with a description for readers of the API. */
type EventSchema = TSchema & { readonly properties: Members; readonly description: string };

/** Returns the schema of one kind of event. `says` describes the event for readers of the API. */
export function eventSchema<const T extends string, M extends Members>(type: T, says: string, members: M) {
  return { ...Type.Object({ type: Type.Literal(type), ...members }, closed), description: says };
}

/** Returns the schema of a durable event, which also has the time at which the store accepted it. */
export function durableEventSchema<const T extends string, M extends Members>(type: T, says: string, members: M) {
  return eventSchema(type, says, { at: Type.Integer({ description: "Milliseconds since 1970 by the store's clock." }), ...members });
}

/** Returns the schemas of durable events as they are sent over the wire, with their number in the run's log. */
export function numbered<S extends EventSchemas>(schemas: S): EventSchemas {
  const sequence = Type.Integer({ minimum: 1, description: "Its number in the run's log, from 1." });
  return Object.fromEntries(
    Object.entries(schemas).map(([type, { properties, description }]) => [
      type,
      { ...Type.Object({ sequence, ...properties }, closed), description },
    ]),
  );
}

/** Returns the schema of any of these events, distinguished by `type`. `T` is the TypeScript type of such an event. */
export function oneEventOf<T>(schemas: EventSchemas, description: string) {
  return Type.Unsafe<T>({ description, oneOf: Object.values(schemas), discriminator: { propertyName: "type" } });
}

/** Returns the name of an event's schema in the API's description. For `call.held` it is `CallHeldEvent`. */
export function eventSchemaName(type: string): string {
  const words = type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}
