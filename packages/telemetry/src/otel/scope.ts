/** One word names the scope of all our spans, measurements and records. */
export const SCOPE = "toolbus";
