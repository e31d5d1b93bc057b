// Small changes of a program that a test should notice: `<` becomes `<=`, a condition its contrary, a statement nothing.

import { parseSync, Visitor } from 'rolldown/utils';

export type Mutant = {
  /** From the root of the project. */
  readonly file: string;
  readonly line: number;
  /** The text of that line. */
  readonly on: string;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
};

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

type Node = { readonly start: number; readonly end: number };
type Operation = Node & { readonly operator: string; readonly left: Node; readonly right: Node };

/** All mutants of a file, in the order of its text. @throws {Error} For text that is no TypeScript. */
export function mutantsOf(file: string, code: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, code, { lang: 'ts' });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const mutants: Mutant[] = [];
  const lines = code.split('\n');
  /** Literals of types: nobody executes them. */
  const types = new Set<number>();
  const change = ({ start, end }: Node, to: string) => {
    const line = code.slice(0, start).split('\n').length;
    const on = lines[line - 1] ?? '';
    mutants.push({ file, line, on, start, end, from: code.slice(start, end), to });
  };
  const negate = (test: Node) => change(test, `!(${code.slice(test.start, test.end)})`);
  const operation = ({ operator, left, right }: Operation) => {
    const between = code.slice(left.end, right.start);
    const at = left.end + between.indexOf(operator);
    const to = OPERATORS[operator];
    const isText = operator === '+' && /['"`]/.test(code.slice(left.start, right.end));
    if (to === undefined || isText) return;
    change({ start: at, end: at + operator.length }, to);
  };
  new Visitor({
    TSLiteralType: ({ literal }) => void types.add(literal.start),
    IfStatement: ({ test }) => negate(test),
    WhileStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    BinaryExpression: operation,
    LogicalExpression: operation,
    ExpressionStatement: (statement) => {
      if (isWork(code.slice(statement.start, statement.end))) change(statement, ';');
    },
    Literal: (literal) => {
      if (types.has(literal.start)) return;
      if (typeof literal.value === 'boolean') change(literal, String(!literal.value));
      if (typeof literal.value === 'number') change(literal, String(otherNumber(literal.value)));
    },
  }).visit(program);
  return mutants.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/** A millisecond more of ten seconds is nothing that anybody has to notice; twice as long is. */
function otherNumber(value: number): number {
  return Math.abs(value) < 10 ? value + 1 : value * 2;
}

/**
 * A program without its assertions is the same one, and one without `super()` is none. What is only said in the log is
 * left out: a sentence that is missing there loses no order.
 */
function isWork(statement: string): boolean {
  return !/^(?:assert|super)\b|^(?:this\.)?#?(?:options\.)?log\.|^this\.#options\.log\./.test(
    statement,
  );
}

/** The program with this one change. */
export function mutated(code: string, { start, end, to }: Mutant): string {
  return `${code.slice(0, start)}${to}${code.slice(end)}`;
}

/** One short line for a person. */
export function mutantText({ file, line, from, to }: Mutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);
  return `${file}:${line}  ${short(from)}  →  ${to === ';' || to === '' ? 'nothing' : short(to)}`;
}
