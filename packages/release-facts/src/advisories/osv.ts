import { parser, type Static, Type } from "@toolbus/contracts";

// The schema is https://ossf.github.io/osv-schema/. Only what the facts need is checked, and everything else is allowed and not read.
const Text = Type.String({ maxLength: 1000 });
/** Facts, prompts and reports name ids, so an id has no spaces in which it could say something to their readers. */
const ID = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$";
const ID_FORM = new RegExp(ID);
const Event = Type.Object({
  introduced: Type.Optional(Text),
  fixed: Type.Optional(Text),
  last_affected: Type.Optional(Text),
});
const Range = Type.Object({ type: Text, events: Type.Array(Event, { maxItems: 1000 }) });
const Affected = Type.Object({
  package: Type.Optional(Type.Object({ ecosystem: Text, name: Text })),
  ranges: Type.Optional(Type.Array(Range, { maxItems: 1000 })),
  versions: Type.Optional(Type.Array(Text, { maxItems: 20_000 })),
});
const OsvSchema = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, pattern: ID }),
  aliases: Type.Optional(Type.Array(Text, { maxItems: 1000 })),
  published: Type.Optional(Text),
  withdrawn: Type.Optional(Text),
  affected: Type.Optional(Type.Array(Affected, { maxItems: 10_000 })),
  references: Type.Optional(
    Type.Array(Type.Object({ type: Type.Optional(Text), url: Type.String({ maxLength: 4000 }) }), { maxItems: 10_000 }),
  ),
  // Each database has its own content here.
  database_specific: Type.Optional(Type.Unsafe<unknown>({})),
});

/** A security advisory in the OSV format, as far as facts need it. */
export type Advisory = Static<typeof OsvSchema>;
/** The versions of one package that an advisory is about. */
export type AffectedPackage = Static<typeof Affected>;
/** A range of versions, as the events at which it begins and ends. */
export type AffectedRange = Static<typeof Range>;

/** Parses one advisory. */
export const parseAdvisory = parser(OsvSchema);

/** Returns true if the text has the form of the id of an advisory. */
export function isAdvisoryId(text: string): boolean {
  return ID_FORM.test(text);
}
