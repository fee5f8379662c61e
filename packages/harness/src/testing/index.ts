/** Public names of this room; nothing is defined here. */
export { ScriptedModel, type ScriptedCall, type ScriptedTurn } from "./scripted-model.js";
