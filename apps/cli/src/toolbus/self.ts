/** How this program was called, so that the commands it proposes can be pasted: `./toolbus` in a checkout, `npx toolbus`, or `toolbus`. */
export const SELF = process.env["TOOLBUS_TYPED"] || "toolbus";
