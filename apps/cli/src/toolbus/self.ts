/** How this program was called, so that users can paste the commands it proposes: `./toolbus` in a checkout, `npx toolbus`, or `toolbus`. */
export const SELF = process.env["TOOLBUS_TYPED"] || "toolbus";
