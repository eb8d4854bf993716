/** Strategic merge of two sets of documents (reference/network-config.md E.10 "Strategic merge"). */

import { LEGACY_KIND } from '../schema/v1alpha1/root.ts';
import {
  type ConfigSet,
  checkConstruction,
  documentId,
  type PatchableDocument,
  type PlacedDocument,
} from './config-set.ts';
import { applyDelete } from './delete-apply.ts';
import type { DeleteSelector } from './delete-markers.ts';
import { mergeStruct } from './merge.ts';
import { mergeLoose } from './merge-loose.ts';

/** One step of a patch, in the order in which steps are taken. */
export type StrategicStep =
  | { readonly type: 'delete'; readonly selector: DeleteSelector }
  | { readonly type: 'merge'; readonly document: PatchableDocument };

export interface StrategicPatch {
  readonly type: 'strategic';
  readonly steps: readonly StrategicStep[];
}

/**
 * Steps of a patch: deletes in the legacy document, the legacy document itself, then the other documents in their order,
 * the deletes of each before it.
 */
export function orderSteps(
  documents: readonly PlacedDocument[],
  selectors: readonly DeleteSelector[],
): StrategicStep[] {
  const placed: { rank: number; offset: number; step: StrategicStep }[] = [];
  for (const selector of selectors) {
    const rank = selector.kind === LEGACY_KIND ? 0 : 2;
    placed.push({ rank, offset: selector.offset, step: { type: 'delete', selector } });
  }
  for (const { offset, document } of documents) {
    placed.push({ rank: document.kind === LEGACY_KIND ? 1 : 2, offset, step: { type: 'merge', document } });
  }
  // The sort is stable: at one offset deletes stand before the merge, since they were added first.
  placed.sort((a, b) => a.rank - b.rank || a.offset - b.offset);
  return placed.map(({ step }) => step);
}

/** Applies a patch; throws `PatchError`. The given set is not changed. */
export function applyStrategic(set: ConfigSet, patch: StrategicPatch, minor: number): ConfigSet {
  const documents: PatchableDocument[] = [...set.documents];
  const appended = new Set<PatchableDocument>();
  for (const step of patch.steps) {
    const target = step.type === 'merge' ? step.document : step.selector;
    const id = documentId(target);
    const at = documents.findIndex((document) => documentId(document) === id && isVisible(document, appended, minor));
    if (step.type === 'delete') deleteStep(documents, at, step.selector, minor);
    else if (at >= 0) documents[at] = mergeDocument(documents[at]!, step.document, minor);
    else {
      documents.push(step.document);
      appended.add(step.document);
    }
  }
  checkConstruction(documents.filter((document) => document.kind !== ''));
  return { documents: legacyFirst(documents) };
}

/** Up to v1.11 a patch does not see documents that it has appended itself; its loader refuses such patches anyway. */
function isVisible(document: PatchableDocument, appended: ReadonlySet<PatchableDocument>, minor: number): boolean {
  return minor >= 12 || !appended.has(document);
}

function deleteStep(documents: PatchableDocument[], at: number, selector: DeleteSelector, minor: number): void {
  if (at < 0) {
    // Up to v1.11 the selector itself lands in the config, as an empty document (reference/v1.11.3.md 11.5).
    if (minor < 12) documents.push(EMPTY_DOCUMENT);
    return;
  }
  const rest = applyDelete(documents[at]!, selector, minor);
  if (rest === null) documents.splice(at, 1);
  else documents[at] = rest;
}

const EMPTY_DOCUMENT: PatchableDocument = Object.freeze({ kind: '', apiVersion: '', name: '', spec: null, value: {} });

function mergeDocument(left: PatchableDocument, right: PatchableDocument, minor: number): PatchableDocument {
  const value =
    left.spec === null
      ? mergeLoose(left.kind, left.value, right.value)
      : mergeStruct(left.spec.struct, left.value, right.value, minor);
  return { ...left, value };
}

function legacyFirst(documents: readonly PatchableDocument[]): readonly PatchableDocument[] {
  const legacy = documents.filter((document) => document.kind === LEGACY_KIND);
  return [...legacy, ...documents.filter((document) => document.kind !== LEGACY_KIND)];
}
