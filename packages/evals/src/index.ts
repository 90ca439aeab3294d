export { findingKinds, type Label, type Labels, type Project, type Projects, severities, type Severity } from "./label.ts";
export { readFactsText, readLabels, readProjects } from "./releases-folder.ts";
