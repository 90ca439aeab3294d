/** The ids that terminals have shown, which a reader copies into the next command. */
export interface ShownIds {
  see(shown: string): void;
  /** Replaces the placeholders in a command with these ids. A placeholder ends with `…`, is in angle brackets, or is the id of an example. */
  putInto(command: string): string;
}

/** The form that an id has on a page, and which id of the output is meant: the last one, or the first one of a list. */
const KINDS: readonly { readonly name: string; readonly written: RegExp; readonly shown: RegExp; readonly newestFirst?: true }[] = [
  { name: "approval", written: /ap_rn_(?:…|[0-9a-f]{2}_[0-9A-Z]{26}\.\d+\.\d+)/g, shown: /ap_rn_[0-9a-f]{2}_[0-9A-Z]{26}\.\d+\.\d+/g },
  { name: "run", written: /(?<!ap_)rn_(?:…|[0-9a-f]{2}_[0-9A-Z]{26})/g, shown: /^rn_[0-9a-f]{2}_[0-9A-Z]{26}/gm, newestFirst: true },
  { name: "letter", written: /dl_(?:…|[0-9a-f]{2}_[0-9A-Z]{26})/g, shown: /^dl_[0-9a-f]{2}_[0-9A-Z]{26}/gm, newestFirst: true },
  { name: "hash", written: /sha256-…/g, shown: /sha256-[\w-]+/g },
];

export function shownIds(): ShownIds {
  const latest = new Map<string, string>();
  return {
    see(shown) {
      for (const { name, shown: pattern, newestFirst } of KINDS) {
        const found = (shown.match(pattern) ?? []).at(newestFirst ? 0 : -1);
        if (found !== undefined) latest.set(name, found);
      }
      // A reader who was asked to approve a call continues with the run of that call.
      const [, run] = /ap_(rn_[0-9a-f]{2}_[0-9A-Z]{26})/.exec(latest.get("approval") ?? "") ?? [];
      if (run !== undefined && shown.includes(`ap_${run}`)) latest.set("run", run);
    },
    putInto: (command) =>
      KINDS.reduce((so, { name, written }) => so.replaceAll(written, (example) => latest.get(name) ?? example), command)
        // Takes the first option of a choice, even if the choice is optional.
        .replaceAll(/<([\w-]+)(?:\|[\w-]+)+>/g, "$1")
        .replaceAll(/\[([\w-]+)(?:\|[\w-]+)+\]/g, "$1"),
  };
}
