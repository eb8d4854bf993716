/** Lists what a configuration sets and what each setting does in the simulation. */
import { type Config, locate } from '../config.ts';
import { formatPath, type Path, type PathStep } from '../errors.ts';
import { fieldIn, kindSince } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec, Type } from '../schema/types.ts';
import { LEGACY_KIND } from '../schema/v1alpha1/root.ts';
import { documentId } from '../validate/validate.ts';
import { isObject } from '../view.ts';
import { documentEffects, type Effect, type EffectRule, legacyEffects, unmodelledKind } from './effects.ts';

export interface Explanation {
  /** `v1alpha1.Config` or `Kind/name`. */
  readonly document: string;
  readonly path: string;
  readonly line: number;
  /** What the field is for. */
  readonly doc: string;
  readonly effect: Effect;
  readonly reason: string;
  /** What to use instead, when deprecated; empty otherwise. */
  readonly deprecated: string;
}

/** One entry per field that is set, in the order of the documents; one for a document that sets none. */
export function explain(config: Config): readonly Explanation[] {
  return config.documents.flatMap((document) => {
    const legacy = document.spec.kind === LEGACY_KIND;
    const id = documentId(document);
    const rule = documentEffects[document.spec.kind] ?? unmodelledKind;
    const found: Explanation[] = [];
    walkStruct(document.spec.struct, document.value, config.version.minor, [], (field, path) => {
      const header = !legacy && path.length === 1 && ['apiVersion', 'kind', 'name'].includes(field.name);
      if (!header) {
        const { effect, reason } = legacy ? effectOf(path) : rule;
        const line = locate(config, document, path)?.line ?? 0;
        const base = { document: id, path: formatPath(path), line, doc: field.doc, effect, reason };
        found.push({ ...base, deprecated: replacementOf(field, config.version.minor) });
      }
    });
    if (found.length > 0 || legacy) return found;
    // Some documents say all by being there.
    const line = locate(config, document, ['kind'])?.line ?? 0;
    const { effect, reason } = rule;
    return [{ document: id, path: '', line, doc: document.spec.doc, effect, reason, deprecated: '' }];
  });
}

/** What to use instead of a field, as soon as the release knows it. */
function replacementOf(field: Field, minor: number): string {
  const replacement = field.deprecated ?? '';
  return (kindSince(replacement.split(/[ ,.]/, 1)[0]!) ?? 0) <= minor ? replacement : '';
}

/** Rule for a field path of the legacy document: the longest prefix. */
export function effectOf(path: Path): EffectRule {
  const text = path.filter((step) => typeof step === 'string').join('.');
  let best: EffectRule | undefined;
  for (const rule of legacyEffects) {
    const covers = text === rule.prefix || text.startsWith(`${rule.prefix}.`);
    if (covers && rule.prefix.length > (best?.prefix.length ?? -1)) {
      best = rule;
    }
  }
  return best ?? Object.freeze({ prefix: '', effect: 'inert' as const, reason: 'no rule covers this field' });
}

type Visit = (field: Field, path: Path) => void;

/** Visits every set field that has no fields of its own. */
function walkStruct(
  spec: StructSpec,
  value: ConfigObject,
  minor: number,
  path: readonly PathStep[],
  visit: Visit,
): void {
  for (const [name, item] of Object.entries(value)) {
    const field = fieldIn(spec, name, minor);
    if (field !== undefined && !walkBelow(field.type, item, minor, [...path, name], visit)) {
      visit(field, [...path, name]);
    }
  }
}

/** True when the value has structs below, which were visited instead. */
function walkBelow(type: Type, value: ConfigValue, minor: number, path: readonly PathStep[], visit: Visit): boolean {
  if (type.kind === 'struct' && isObject(value) && Object.keys(value).length > 0) {
    walkStruct(type.struct, value, minor, path, visit);
    return true;
  }
  if (type.kind === 'list' && type.element.kind === 'struct' && Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) {
      walkBelow(type.element, item, minor, [...path, index], visit);
    }
    return true;
  }
  if (type.kind === 'map' && type.value.kind === 'struct' && isObject(value) && Object.keys(value).length > 0) {
    for (const [key, item] of Object.entries(value)) {
      walkBelow(type.value, item, minor, [...path, key], visit);
    }
    return true;
  }
  return false;
}
