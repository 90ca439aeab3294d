/**
 * A pattern of CODEOWNERS for paths. It is matched without a regular expression, because a pattern with many stars from a foreign repository could keep
 * the engine busy for hours. The time here grows only with the lengths of the pattern and the path.
 */
export interface PathPattern {
  /** Returns whether the pattern matches. With `work`, it counts what it does, and answers false once nothing is left. */
  matches(path: string, work?: Work): boolean;
}

/** The steps that matching may still take. Thousands of paths and hundreds of hostile patterns would otherwise keep a process busy for minutes. */
export interface Work {
  left: number;
}

/** Parses a pattern: `*` and `?` stay within a folder, `**` crosses folders, and a pattern without a slash inside matches in every folder. */
export function pathPattern(pattern: string): PathPattern {
  const isAnchored = pattern.replace(/\/+$/, "").includes("/");
  // A pattern such as docs/* owns the files of the folder itself, not those of its subfolders.
  const isExact = pattern.endsWith("/*");
  const body = pattern.replace(/^\//, "").replace(/\/+$/, "");
  const tokens = [...(isAnchored ? [] : ["**/"]), ...(body.match(/\*\*\/|\*\*|[^]/gu) ?? [])];
  return {
    matches(path, work = { left: Infinity }) {
      let places: readonly number[] = [0];
      for (const token of tokens) {
        work.left -= token.startsWith("*") ? path.length : places.length;
        if (work.left < 0) return false;
        places = after(token, path, places);
        if (places.length === 0) return false;
      }
      return places.some((place) => place === path.length || (!isExact && path[place] === "/"));
    },
  };
}

/** Returns the places in a path that a token can reach from other places, lowest first and each once. */
function after(token: string, path: string, places: readonly number[]): readonly number[] {
  const reached: number[] = [];
  const from = places[0] ?? path.length;
  switch (token) {
    case "**":
      for (let place = from; place <= path.length; place++) reached.push(place);
      return reached;
    case "**/":
      for (let place = from; place < path.length; place++) if (places.includes(place) || path[place - 1] === "/") reached.push(place);
      return reached;
    case "*":
      for (const start of places) {
        // The places up to the end of this folder are known already if an earlier start is in the same folder.
        for (let place = Math.max(start, (reached.at(-1) ?? -1) + 1); place <= path.length; place++) {
          if (place > start && path[place - 1] === "/") break;
          reached.push(place);
        }
      }
      return reached;
    case "?":
      return places.filter((place) => place < path.length && path[place] !== "/").map((place) => place + 1);
    default:
      return places.filter((place) => path.startsWith(token, place)).map((place) => place + token.length);
  }
}
