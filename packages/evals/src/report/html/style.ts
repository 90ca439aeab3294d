/** The style of the page, for light and dark screens, for phones and for paper. Colour never carries a meaning alone. */
export const STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa; --mark: #0a58ca; --bad: #b3261e; --good: #1a6b37; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0f1318; --text: #e6edf3; --soft: #a5b0bc; --line: #39424e; --panel: #171d25; --mark: #79b4ff; --bad: #ff9a92; --good: #6fd08c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; min-width: 0; }
.scroll { overflow-x: auto; } .scroll:focus-visible { outline: 2px solid var(--mark); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; overflow-wrap: normal; }
.stack { display: grid; gap: 1rem; align-content: start; min-width: 0; }
.short, .failed, .error, .flaky, .passed { white-space: nowrap; overflow-wrap: normal; }
.failed, .error, .flaky { color: var(--bad); font-weight: 600; } .passed { color: var(--good); font-weight: 600; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
.axis { stroke: var(--line); } .reach { stroke: var(--mark); stroke-width: 2; } .dot { fill: var(--mark); }
.bar { fill: var(--mark); } .bar-bad { fill: var(--back); stroke: var(--bad); stroke-width: 1.5; }
@media print { body { max-width: none; } .panel { break-inside: avoid; } }
`;
