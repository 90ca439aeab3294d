/** The name of the scope of all our spans, measurements and records. */
export const SCOPE = "toolbus";
