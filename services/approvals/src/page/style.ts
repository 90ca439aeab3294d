import { createHash } from "node:crypto";

/**
 * The only style of the page. It works without images and fonts of its own, on a phone, on a desktop, and in a dark theme. It has no character that HTML
 * escapes, because the hash in the policy covers exactly this text.
 */
export const STYLE = `
:root{color-scheme:light dark;--text:#1a1c20;--soft:#565c66;--line:#cdd2da;--back:#f4f5f7;--box:#fff;--link:#0b57d0;--warn:#8a4b00;--warn-back:#fff4df;--bad:#a31621;--bad-back:#fdecec;--good:#166534;--good-back:#e8f6ec;--mark:#fff2ac}
@media (prefers-color-scheme:dark){:root{--text:#e9ebef;--soft:#a9b0bb;--line:#454b55;--back:#16181c;--box:#202329;--link:#8ab4f8;--warn:#ffcf87;--warn-back:#3a2c10;--bad:#ffb4ab;--bad-back:#42191c;--good:#9ce0b0;--good-back:#16331f;--mark:#5c4d00}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:46rem;margin:0 auto;padding:.75rem 1rem}
header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;justify-content:space-between}
header p{margin:0;color:var(--soft)}
header form{display:inline}
a{color:var(--link)}
.home{font-weight:600;color:var(--text);text-decoration:none}
h1{font-size:1.35rem;line-height:1.3;margin:.25rem 0 .75rem}
h2{font-size:1.05rem;margin:0 0 .5rem}
section,.item{background:var(--box);border:1px solid var(--line);border-radius:.6rem;padding:1rem;margin:0 0 1rem}
.notice{border-left:.35rem solid var(--link);padding:.75rem 1rem;margin:0 0 1rem;background:var(--box);border-radius:.4rem}
.notice p{margin:0}
.warn{border:1px solid var(--warn);background:var(--warn-back);color:var(--warn)}
.bad{border-left-color:var(--bad);background:var(--bad-back);color:var(--bad)}
.good{border-left-color:var(--good);background:var(--good-back);color:var(--good)}
.state{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center;margin:0 0 .4rem}
.tier{font-size:.85rem;font-weight:600;border:1px solid currentColor;border-radius:1rem;padding:.05rem .6rem}
.high,.critical{color:var(--bad)}
.medium{color:var(--warn)}
.soft{color:var(--soft)}
ul,ol{margin:0;padding-left:1.2rem}
.list{list-style:none;padding:0}
.list a{font-weight:600}
.list p{margin:.35rem 0 0}
.links{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
.closely{color:var(--warn)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1rem;margin:0}
dt,.label{color:var(--soft)}
dd{margin:0}
.value{white-space:pre-wrap;unicode-bidi:isolate}
.arguments{list-style:none;padding:0}
.arguments ul{list-style:none;padding-left:1rem;border-left:2px solid var(--line);margin:.25rem 0}
.arguments li{padding:.2rem 0}
.show{display:inline}
h1 .show button{vertical-align:middle}
mark{background:var(--mark);color:inherit;padding:0 .15rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
.hint{margin:.25rem 0 .5rem;color:var(--soft);font-size:.92rem}
input[type=text],input[type=password],input[type=date],select,textarea{width:100%;font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:.4rem;padding:.6rem;margin:0 0 .75rem}
textarea{min-height:4.5rem;resize:vertical}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1.1rem;border-radius:.4rem;border:1px solid var(--soft);background:var(--back);color:var(--text);cursor:pointer}
.button{display:inline-block;font-weight:600;min-height:2.75rem;padding:.6rem 1.1rem;border-radius:.4rem;background:#166534;color:#fff;text-decoration:none}
button.small{min-height:1.9rem;padding:.1rem .6rem;font-size:.88rem;font-weight:400}
button.yes{background:#166534;border-color:#166534;color:#fff}
button.no{background:#a31621;border-color:#a31621;color:#fff}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.filters{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:0 1rem;align-items:end}
.filters button{margin:0 0 .75rem}
.tight p{margin:.25rem 0}
details{margin:.75rem 0 0}
summary{cursor:pointer;font-weight:600;min-height:2.75rem;padding:.6rem 1.1rem;border:1px solid var(--soft);border-radius:.4rem;width:fit-content}
summary.no{color:var(--bad);border-color:var(--bad)}
details form{padding:.75rem 0 .5rem}
@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}button:not(.small),summary{width:100%}.button{display:block;text-align:center}header button{width:auto!important}}
`;

/** The policy of every page. The browser runs no script, loads nothing, sends forms only to the same address, and shows the page in no frame. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
