import { describe, expect, it } from "vitest";
import { cohensKappa } from "./cohens-kappa.ts";
import { fleissKappa } from "./fleiss-kappa.ts";

/** How often husbands (rows) and wives (columns) find it fun: Agresti, Categorical Data Analysis (1990), table 2.10. */
const COUPLES = [
  [7, 7, 2, 3],
  [2, 8, 3, 7],
  [1, 5, 4, 9],
  [2, 8, 9, 14],
];

describe("Cohen's kappa", () => {
  // Worked out by hand, n = 50. Agreement (20 + 15) / 50 = 0.7. Rows 25 and 25, columns 30 and 20, so chance is 0.5 * 0.6 + 0.5 * 0.4 = 0.5 and
  // kappa is 0.2 / 0.5 = 0.4. The error: 1 - kappa = 0.6. Row and column means of the cells: yes-yes 0.6 + 0.5 = 1.1, yes-no 0.4 + 0.5 = 0.9 with
  // the column of the row (0.6) and the row of the column (0.5) for identity weights: w(yes) = 0.6 for the row, 0.5 for the column, and w(no) = 0.4
  // for the row, 0.5 for the column.
  //   yes-yes 0.4 * (1 - 1.1 * 0.6)^2 = 0.4 * 0.34^2 = 0.046240    yes-no 0.1 * (1.1 * 0.6)^2 = 0.1 * 0.66^2 = 0.043560
  //   no-yes  0.2 * (0.9 * 0.6)^2     = 0.2 * 0.54^2 = 0.058320    no-no  0.3 * (1 - 0.9 * 0.6)^2 = 0.3 * 0.46^2 = 0.063480
  // Sum 0.211600. Minus (0.4 - 0.5 * 0.6)^2 = 0.01 is 0.201600. Divided by 50 * 0.5^2 = 12.5 is 0.016128, and its root is 0.126996.
  // The interval is 0.4 - 1.959964 * 0.126996 = 0.151092 to 0.648908.
  it("equals a table of two classes that was worked out by hand, with its standard error and interval", () => {
    expect(
      cohensKappa([
        [20, 5],
        [10, 15],
      ]),
    ).toMatchObject({
      kappa: expect.closeTo(0.4, 10),
      standardError: expect.closeTo(Math.sqrt(0.016128), 10),
      interval: { low: expect.closeTo(0.151092, 5), high: expect.closeTo(0.648908, 5) },
      agreement: expect.closeTo(0.7, 10),
      expected: expect.closeTo(0.5, 10),
      pairs: 50,
    });
  });

  // Fleiss, Statistical Methods for Rates and Proportions (1981), table 13.1: agreement 0.89, chance 0.8 * 0.8 + 0.1 * 0.05 + 0.1 * 0.15 = 0.66,
  // kappa 0.23 / 0.34 = 0.676.
  it("equals the published diagnoses of Fleiss with three classes", () => {
    expect(
      cohensKappa([
        [75, 1, 4],
        [5, 4, 1],
        [0, 0, 10],
      ]),
    ).toMatchObject({
      kappa: expect.closeTo(0.23 / 0.34, 10),
      expected: expect.closeTo(0.66, 10),
    });
  });

  // The values are those that the function Kappa of R's package vcd prints for its data set SexualFun: 0.1293 with the standard error 0.06860
  // unweighted, and 0.2374 with 0.07832 for linear weights. The error is that of Fleiss, Cohen and Everitt (1969).
  it("equals the published kappa and standard error of four ordered classes, without weights and with linear ones", () => {
    expect(cohensKappa(COUPLES)).toMatchObject({ kappa: expect.closeTo(0.1293, 4), standardError: expect.closeTo(0.0686, 4) });
    expect(cohensKappa(COUPLES, "linear")).toMatchObject({
      kappa: expect.closeTo(0.2374, 4),
      standardError: expect.closeTo(0.07832, 5),
    });
  });

  // By hand, n = 4: one pair each in (1,1), (1,3), (3,3) and (2,2). Quadratic weights: 1 on the diagonal, 0.75 next to it, 0 at distance two.
  // Agreement 3/4. Rows 1/2, 1/4, 1/4; columns 1/4, 1/4, 1/2. Chance: 1/2 * (1/4 + 0.75/4) + 1/4 * (0.75/4 + 1/4 + 0.75/2)
  // + 1/4 * (0 + 0.75/4 + 1/2) = 0.21875 + 0.203125 + 0.171875 = 0.59375. Kappa (0.75 - 0.59375) / 0.40625 = 0.384615.
  it("counts near classes as partly agreeing with quadratic weights", () => {
    expect(
      cohensKappa(
        [
          [1, 0, 1],
          [0, 1, 0],
          [0, 0, 1],
        ],
        "quadratic",
      ).kappa,
    ).toBeCloseTo(0.384615, 6);
  });

  it("takes the weights of the caller", () => {
    const identity = [
      [1, 0],
      [0, 1],
    ];
    expect(
      cohensKappa(
        [
          [20, 5],
          [10, 15],
        ],
        identity,
      ),
    ).toEqual(
      cohensKappa([
        [20, 5],
        [10, 15],
      ]),
    );
  });

  // With full agreement on 10 pairs of two classes, 5 each, Wilson's lower end of 10/10 is 10 / (10 + 1.959964^2) = 0.722467, and chance is 0.5.
  it("gives full agreement an interval that depends on the number of pairs, though its standard error is 0", () => {
    expect(
      cohensKappa([
        [5, 0],
        [0, 5],
      ]),
    ).toMatchObject({
      kappa: 1,
      standardError: 0,
      interval: { low: expect.closeTo((0.722467 - 0.5) / 0.5, 5), high: 1 },
    });
  });

  it("is below 0 for raters who disagree more than by chance", () => {
    expect(
      cohensKappa([
        [0, 5],
        [5, 0],
      ]),
    ).toMatchObject({ kappa: -1, interval: { low: -1 } });
  });

  it.each([
    [
      "both raters used one class",
      [
        [9, 0],
        [0, 0],
      ],
      /only one class/,
    ],
    [
      "there are no pairs",
      [
        [0, 0],
        [0, 0],
      ],
      /no pairs/,
    ],
    ["there are no classes", [], /no pairs/],
  ])("is undefined and says why if %s", (_, table, why) => {
    expect(cohensKappa(table)).toMatchObject({ kappa: null, why: expect.stringMatching(why) });
  });
});

describe("Fleiss' kappa", () => {
  // Fourteen raters, ten items, five classes: Fleiss (1971) as in the worked example of https://en.wikipedia.org/wiki/Fleiss'_kappa, which gives
  // 0.378 for the agreement and 0.210 for kappa.
  it("equals the published example of fourteen raters", () => {
    const counts = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    expect(fleissKappa(counts)).toEqual({ kappa: expect.closeTo(0.21, 3), agreement: expect.closeTo(0.378, 3) });
  });

  it.each([
    [
      "all votes are of one class",
      [
        [3, 0],
        [3, 0],
      ],
    ],
    [
      "there is one vote for each item",
      [
        [1, 0],
        [0, 1],
      ],
    ],
    [
      "the items have different numbers of votes",
      [
        [3, 0],
        [1, 1],
      ],
    ],
    ["there are no items", []],
  ])("is undefined and says why if %s", (_, counts) => {
    expect(fleissKappa(counts)).toEqual({ kappa: null, why: expect.stringMatching(/\.$/) });
  });
});
