// One offending file for each rule about the shape of code and of tests.

import { type Case, IMPORTS, importing } from './lint-cases.ts';

export function shapeCases(): readonly Case[] {
  return [
    ...Object.entries(OFFENCES).map(([rule, text]) => ({
      group: rule,
      path: `src/app/shape-${rule.toLowerCase()}.ts`,
      text,
      rule,
      isRefused: true,
    })),
    refused('noUndeclaredDependencies', 'src/app/dev.ts', importing('fast-check')),
    refused('useFilenamingConvention', 'src/app/camelCase.ts', 'export const x = 1;\n'),
    refused('noImportCycles', 'src/app/cycle-one.ts', cycle('cycle-two')),
    refused('noImportCycles', 'src/app/cycle-two.ts', cycle('cycle-one')),
    allowed('noConsole', 'src/cli/print.ts', "console.log('x');\n"),
    allowed('noUnsafeTypeAssertion', 'src/domain/ticks.ts', BRAND),
    allowed('noBarrelFile', 'src/strategy/index.ts', "export { y } from './y.ts';\n"),
  ];
}

export function testFileCases(): readonly Case[] {
  const head = "import { expect, it } from 'vitest';\n";
  return [
    allowed(IMPORTS, 'test/unit/any.test.ts', importing('../../src/venue/venue.ts')),
    refused(
      'noFocusedTests',
      'test/unit/only.test.ts',
      `${head}it.only('x', () => expect(1).toBe(1));\n`,
    ),
    refused(
      'noSkippedTests',
      'test/unit/skip.test.ts',
      `${head}it.skip('x', () => expect(1).toBe(1));\n`,
    ),
    allowed(
      'noSkippedTests',
      'test/unit/skip-if.test.ts',
      `${head}it.skipIf(!expect)('x', () => expect(1).toBe(1));\n`,
    ),
    refused('useExpect', 'test/unit/nothing.test.ts', `${head}it('x', () => {});\n`),
  ];
}

function refused(rule: string, path: string, text: string): Case {
  return { group: rule, path, text, rule, isRefused: true };
}

function allowed(rule: string, path: string, text: string): Case {
  return { group: rule, path, text, rule, isRefused: false };
}

function cycle(other: string): string {
  return `import type { B } from './${other}.ts';\nexport type A = B;\nexport type C = A;\n`;
}

const BRAND =
  "export type Ticks = number & { b: 'Ticks' };\nexport const t = (n: number) => n as Ticks;\n";

const BODY = '  x();\n';
const NESTED = 'if (a) {\n'.repeat(4);

const OFFENCES: Readonly<Record<string, string>> = {
  noExplicitAny: 'export const x = (a: any) => a;\n',
  noNonNullAssertion: 'export const x = (a: string | undefined) => a!.length;\n',
  noEnum: 'export enum X {\n  A,\n}\n',
  useImportType: "import { Y } from './y.ts';\nexport type X = Y;\n",
  useNodejsImportProtocol: importing('fs'),
  useImportExtensions: importing('./shape-noenum'),
  noDefaultExport: 'export default 1;\n',
  noBarrelFile: "export { y } from './y.ts';\n",
  noReExportAll: "export * from './y.ts';\n",
  noConsole: "console.log('x');\n",
  noUnsafeTypeAssertion: 'export const x = (a: unknown) => a as string;\n',
  noFloatingPromises: 'async function y() {}\nexport function x() {\n  y();\n}\n',
  noMisusedPromises: 'async function y() {}\nexport const x = () => (y() ? 1 : 2);\n',
  useAwaitThenable: 'export const x = async () => await 1;\n',
  useExhaustiveSwitchCases:
    "export function x(a: 'a' | 'b') {\n  switch (a) {\n    case 'a':\n      return 1;\n  }\n}\n",
  useThrowOnlyError: "export function x() {\n  throw 'x';\n}\n",
  useErrorCause:
    "export function x() {\n  try {\n    x();\n  } catch (e) {\n    throw new Error('y');\n  }\n}\n",
  noParameterAssign: 'export function x(a: number) {\n  a = 1;\n  return a;\n}\n',
  useReadonlyClassProperties:
    'export class X {\n  private a = 1;\n  b() {\n    return this.a;\n  }\n}\n',
  useConsistentArrayType: 'export type X = Array<string>;\n',
  useMaxParams: 'export function x(a: 1, b: 1, c: 1, d: 1, e: 1) {\n  return [a, b, c, d, e];\n}\n',
  noExcessiveLinesPerFunction: `export function x() {\n${BODY.repeat(61)}}\n`,
  noExcessiveLinesPerFile: 'export {};\n'.repeat(401),
  noExcessiveNestedBlocks: `export function x(a: 1) {\n${NESTED}x(a);\n${'}'.repeat(4)}\n}\n`,
  noExcessiveCognitiveComplexity: `export function x(a: number) {\n${'  if (a) x(1);\n'.repeat(17)}}\n`,
};
