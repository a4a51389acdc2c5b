// SPDX-License-Identifier: MIT
// The transcoder of KTX2 images in three.js is a script that defines a variable, and it compiles functions from text, which the content security policy of
// `ossify view` forbids. This makes it a module, and replaces both places by closures.
import type { Plugin } from 'vite';

/** What is replaced, and by what. */
const CALLS = [
  ['newFunc(Function,args)(...closureArgs)', 'makeInvoker(argTypes,isClassMethodFunc,cppInvokerFunc,cppTargetFunc)'],
  ['newFunc(Function,params)(...args)', 'makeCaller(kind,types,retType)'],
] as const;

/** Functions of the script that these use are in scope where they are inserted. */
const CLOSURES = `
function makeInvoker(argTypes,isMethod,invoke,target){
  const [returned,own,...types]=argTypes;
  return function(...given){
    const destructors=[];
    const wired=isMethod?[own.toWireType(destructors,this)]:[];
    types.forEach((type,n)=>wired.push(type.toWireType(destructors,given[n])));
    const got=invoke(target,...wired);
    runDestructors(destructors);
    return returned.name==="void"?undefined:returned.fromWireType(got);
  };
}
function makeCaller(kind,types,returned){
  return function(object,func,destructors,at){
    const values=types.map((type)=>{
      const value=type.readValueFromPointer(at);
      at+=type.argPackAdvance;
      return value;
    });
    const got=kind===1?new func(...values):kind===0?func.call(object,...values):func.call(...values);
    return returned.isVoid?undefined:emval_returnValue(returned,destructors,got);
  };
}
`;
/** The closures stand before this function. */
const PLACE = 'function craftInvokerFunction(';

export function adaptTranscoder(): Plugin {
  return {
    name: 'ossify-transcoder',
    transform(code, id) {
      if (!id.endsWith('basis_transcoder.js')) return undefined;
      for (const text of [PLACE, ...CALLS.map(([call]) => call)])
        if (code.split(text).length !== 2) throw new Error(`${id} has no single "${text}"; three.js has changed`);
      const changed = CALLS.reduce((all, [call, closure]) => all.replace(call, closure), code);
      return { code: `${changed.replace(PLACE, CLOSURES + PLACE)}\nexport default BASIS;`, map: null };
    },
  };
}
