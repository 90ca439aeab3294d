export { findingKinds, type Label, type Labels, type Project, type Projects, severities, type Severity } from "./label.ts";
export { type Score, scoreReleases } from "./scoring/score-releases.ts";
export type { ProjectLabel, Verdict, VerdictFinding } from "./scoring/verdict.ts";
export { readFactsText, readLabels, readProjects } from "./releases-folder.ts";
