import { describeHostileSchemas } from "../e2e/hostile-schemas-on.ts";

// A second system is too long for every run; the other broker is in tests/e2e.
describeHostileSchemas("rabbitmq");
