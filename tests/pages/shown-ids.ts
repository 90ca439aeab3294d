/** The ids that terminals have shown, as a reader copies them into the next command. */
export interface ShownIds {
  see(shown: string): void;
  /** Inserts them where a command has a placeholder for any: cut short with `…`, in angle brackets, or an example's. */
  putInto(command: string): string;
}

/** How an id is written on a page, and where it is found in the output: the last one, in a list the first. */
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
      // Whoever has just been asked to approve something continues with its run.
      const [, run] = /ap_(rn_[0-9a-f]{2}_[0-9A-Z]{26})/.exec(latest.get("approval") ?? "") ?? [];
      if (run !== undefined && shown.includes(`ap_${run}`)) latest.set("run", run);
    },
    putInto: (command) =>
      KINDS.reduce((so, { name, written }) => so.replaceAll(written, (example) => latest.get(name) ?? example), command)
        // Of a choice the first, and of what may be left out too.
        .replaceAll(/<([\w-]+)(?:\|[\w-]+)+>/g, "$1")
        .replaceAll(/\[([\w-]+)(?:\|[\w-]+)+\]/g, "$1"),
  };
}
