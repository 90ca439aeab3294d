import type { RouteDocs } from "@toolbus/runtime";

// The routes of the page are not in the API's description. The server still requires a description of each route.

export const htmlAnswer: RouteDocs["answers"][number] = { says: "The page.", type: "text/html" };
export const seeOther: RouteDocs["answers"][number] = { says: "The address to open next.", type: "text/html" };
