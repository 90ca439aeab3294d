import { wordsOf } from "./changelog-items.ts";
import type { CommitFacts } from "./release-facts.ts";

const FEWEST_WORDS = 4;

/**
 * Returns a function that finds the commits whose whole subject is in a text, apart from its type, marks and case. Many changelogs are made of subjects. The
 * text is given as `wordsOf` returns it. The cost grows with the length of the text, not with the number of commits.
 */
export function repeatedSubjects(commits: readonly CommitFacts[]): (words: string) => readonly CommitFacts[] {
  const byBeginning = new Map<string, { readonly commit: CommitFacts; readonly words: string }[]>();
  for (const commit of commits) {
    const words = subjectWords(commit);
    const all = words.trim().split(" ");
    if (all.length < FEWEST_WORDS) continue;
    const beginning = all.slice(0, FEWEST_WORDS).join(" ");
    const same = byBeginning.get(beginning);
    if (same) same.push({ commit, words });
    else byBeginning.set(beginning, [{ commit, words }]);
  }
  return (words) => {
    if (byBeginning.size === 0) return [];
    const all = words.trim().split(" ");
    const found = new Set<CommitFacts>();
    for (let at = 0; at + FEWEST_WORDS <= all.length; at++) {
      for (const subject of byBeginning.get(all.slice(at, at + FEWEST_WORDS).join(" ")) ?? [])
        if (words.includes(subject.words)) found.add(subject.commit);
    }
    return [...found];
  };
}

function subjectWords({ subject }: CommitFacts): string {
  return wordsOf(subject.replace(/^[\w./|,-]{1,40}(?:\([^)]{0,80}\))?!?:\s+/, "").replace(/\s*\(#\d{1,7}\)\s*$/, ""));
}
