import type { SourceFile } from "../../tests/workspace-source.ts";

/** Returns the product's source, without tests and test tools. */
export function productFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(
    ({ file }) =>
      /^(?:packages|services|apps)\//.test(file) &&
      !/\.test\.ts$|\/(?:testing|conformance)\/|-under-test\.ts$|^packages\/(?:testing|model-servers|oidc-server|labelled-releases)\//.test(
        file,
      ),
  );
}

/** Returns the files that contain a word, except those that declare it. A word in a comment is ignored. */
export function usersOf(word: string, files: readonly SourceFile[], declaredIn: readonly string[]): readonly string[] {
  const named = new RegExp(`(?<![\\w$-])${word}(?![\\w$-])`);
  return files.filter(({ file, text }) => !declaredIn.includes(file) && named.test(withoutComments(text))).map(({ file }) => file);
}

const stripped = new Map<string, string>();

/** Removes comments. Results are cached, because each file is searched for hundreds of words. */
function withoutComments(text: string): string {
  const kept = stripped.get(text) ?? text.replaceAll(/^[ \t]*(?:\/\/|\/\*\*?|\*).*$/gm, "");
  stripped.set(text, kept);
  return kept;
}
