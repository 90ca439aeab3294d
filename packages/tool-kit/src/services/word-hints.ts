/** The number of characters of a message that are read for hints. */
const MOST_READ = 20_000;

/** Endings of names of hosts. "example.com" is no file. */
const HOSTS: ReadonlySet<string> = new Set("com org net io dev".split(" "));

/**
 * Returns a message with the words that people leave out because a thing says them itself. A web address is replaced by the word "url", because its parts
 * say nothing about a tool. The word "file" is added if the message names a file, such as `notes.txt`.
 */
export function withHints(message: string): string {
  const words = message.slice(0, MOST_READ).split(/\s+/);
  const read = words.map((word) => (/^["'(<]?https?:\/\//i.test(word) ? "url" : word));
  const hint = read.some(namesFile) ? " file" : "";
  return `${read.join(" ")}${message.slice(MOST_READ)}${hint}`;
}

function namesFile(word: string): boolean {
  const { ending } = /^["'(]?[\w/-]{1,200}\.(?<ending>[a-z][a-z0-9]{0,4})["'),:;?!.]{0,3}$/i.exec(word)?.groups ?? {};
  return ending !== undefined && !HOSTS.has(ending.toLowerCase());
}
