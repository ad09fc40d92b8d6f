// Finds the names that a script uses and does not define, in the syntax tree that Reflect.parse
// makes of it. Called with that function, the text, whether it is a body ("(function () {…})()"),
// and whether a name is defined outside of the script. Returns JSON:
//   uses      [[line, guarded, [name, member, …]], …] a variable from outside, with the members that
//             are named behind it as constants; guarded: the script asks for `typeof` it
//   returned  [[line, text], …] the constant texts that a body returns, also in lists
(function (parse, text, isBody, isDefined) {
  'use strict';
  const uses = [];
  const returned = [];
  const guarded = new Set();
  // Of scripts that make variables at run time nothing can be said.
  let isOpen = false;

  const isNode = (value) => typeof value === 'object' && value !== null;
  const isFunction = (node) =>
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression';
  const isLoop = (node) =>
    node.type === 'ForStatement' || node.type === 'ForInStatement' || node.type === 'ForOfStatement';
  const children = (node) =>
    Object.keys(node).filter((key) => key !== 'loc').map((key) => node[key]).filter(isNode);
  const lineOf = (node) => node.loc ? node.loc.start.line : 1;

  // Names that a pattern declares. Defaults and computed keys are no part of it.
  const declared = (pattern, names) => {
    if (!isNode(pattern)) return;
    switch (pattern.type) {
      case 'Identifier': names.add(pattern.name); break;
      case 'ArrayPattern':
      case 'ArrayExpression': pattern.elements.forEach((item) => declared(item, names)); break;
      case 'ObjectPattern':
      case 'ObjectExpression': pattern.properties.forEach((item) => declared(item, names)); break;
      case 'Property': declared(pattern.value, names); break;
      case 'SpreadExpression': declared(pattern.expression, names); break;
      case 'AssignmentExpression':
      case 'AssignmentPattern': declared(pattern.left, names); break;
    }
  };

  // `var` and functions, wherever they stand in a function.
  const hoisted = (node, names) => {
    if (Array.isArray(node)) return node.forEach((item) => isNode(item) && hoisted(item, names));
    if (node.type === 'VariableDeclaration' && node.kind === 'var')
      node.declarations.forEach((one) => declared(one.id, names));
    if (node.type === 'FunctionDeclaration') declared(node.id, names);
    if (isFunction(node) || node.type === 'ClassStatement' || node.type === 'ClassExpression') return;
    children(node).forEach((child) => hoisted(child, names));
  };

  // What the statements of one block declare for it.
  const ofBlock = (statements, names) => {
    for (const statement of statements) {
      if (!isNode(statement)) continue;
      if (statement.type === 'VariableDeclaration')
        statement.declarations.forEach((one) => declared(one.id, names));
      if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassStatement')
        declared(statement.id, names);
    }
    return names;
  };

  const isKnown = (name, scope) => {
    for (let at = scope; at !== null; at = at.around) if (at.names.has(name)) return true;
    return false;
  };
  const within = (around, names) => ({around, names: names || new Set()});

  const constantText = (node) => {
    if (!isNode(node)) return undefined;
    if (node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number'))
      return String(node.value);
    if (node.type === 'TemplateLiteral' && node.elements.length === 1)
      return constantText(node.elements[0]);
    return undefined;
  };

  const isMember = (node) =>
    node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression';
  const unwrapped = (node) =>
    node.type === 'OptionalExpression' ? unwrapped(node.expression) : node;

  // The variable and the constant members of a path; undefined where it begins with no variable.
  // `ends`: something behind the last of them is no constant.
  const pathOf = (node) => {
    node = unwrapped(node);
    if (node.type === 'Identifier') return {names: [node.name], line: lineOf(node), ends: false};
    if (!isMember(node)) return undefined;
    const path = pathOf(node.object);
    if (path === undefined || path.ends) return path;
    const name = !node.computed && node.property.type === 'Identifier' ? node.property.name :
                 node.computed ? constantText(node.property) : undefined;
    if (name === undefined) return {...path, ends: true};
    return {...path, names: [...path.names, name]};
  };

  const use = (path, scope) => {
    const isPrivate = path.names[0].startsWith('#');
    if (!isPrivate && !isKnown(path.names[0], scope) && !isDefined(path.names[0]))
      uses.push([path.line, path.names]);
  };

  // What `{a, b: {c}} = object` takes of the object.
  const useOfPattern = (pattern, path, scope) => {
    if (!isNode(pattern) || path === undefined || path.ends || pattern.type !== 'ObjectPattern') return;
    for (const property of pattern.properties) {
      if (property.type !== 'Property') continue;
      const name = property.key.type === 'Identifier' ? property.key.name : constantText(property.key);
      if (name === undefined) continue;
      const inner = {...path, names: [...path.names, name]};
      use(inner, scope);
      useOfPattern(property.value, inner, scope);
    }
  };
  const objectOf = (node) => {
    if (!isNode(node)) return undefined;
    const whole = node.type === 'LogicalExpression' && node.operator !== '&&' ? node.left : node;
    return pathOf(whole);
  };

  const visitAll = (nodes, scope) => nodes.forEach((node) => visit(node, scope));

  // The defaults and computed keys of what is declared.
  const visitPattern = (pattern, scope) => {
    if (!isNode(pattern) || pattern.type === 'Identifier') return;
    switch (pattern.type) {
      case 'Property':
        if (pattern.key.type === 'ComputedName') visit(pattern.key, scope);
        visitPattern(pattern.value, scope);
        break;
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        visitPattern(pattern.left, scope);
        visit(pattern.right, scope);
        break;
      case 'MemberExpression': visit(pattern, scope); break;
      default: children(pattern).flat().forEach((child) => visitPattern(child, scope));
    }
  };

  const visitFunction = (node, scope) => {
    const own = within(scope, new Set(['arguments']));
    if (node.type !== 'FunctionDeclaration') declared(node.id, own.names);
    for (const parameter of node.params) declared(parameter, own.names);
    declared(node.rest, own.names);
    hoisted(node.body, own.names);
    node.params.forEach((parameter) => visitPattern(parameter, own));
    visitPattern(node.rest, own);
    (node.defaults || []).forEach((value) => visit(value, own));
    visit(node.body, own);
  };

  const visitClass = (node, scope) => {
    const own = within(scope);
    declared(node.id, own.names);
    visit(node.superClass, own);
    node.body.forEach((member) => visit(member, own));
  };

  const visitMember = (node, scope) => {
    const path = pathOf(node);
    if (path !== undefined) use(path, scope);
    // What stands in brackets, and what the path begins with where that is no variable.
    for (let at = unwrapped(node); ; at = unwrapped(at.object)) {
      if (!isMember(at)) {
        if (at.type !== 'Identifier') visit(at, scope);
        return;
      }
      if (at.computed && constantText(at.property) === undefined) visit(at.property, scope);
    }
  };

  function visit(node, scope) {
    if (!isNode(node)) return;
    if (Array.isArray(node)) return visitAll(node, scope);
    if (isFunction(node)) return visitFunction(node, scope);
    if (isMember(node) || node.type === 'OptionalExpression') return visitMember(node, scope);
    if (isLoop(node)) {
      scope = within(scope, ofBlock([node.init || node.left], new Set()));
    }
    switch (node.type) {
      case 'Identifier': return use(pathOf(node), scope);
      case 'ClassStatement':
      case 'ClassExpression': return visitClass(node, scope);
      case 'ClassMethod':
      case 'ClassField':
      case 'Property': {
        const key = node.type === 'Property' ? node.key : node.name;
        if (isNode(key) && key.type === 'ComputedName') visit(key, scope);
        for (const part of ['value', 'body', 'init', 'initializer']) visit(node[part], scope);
        return;
      }
      case 'BlockStatement': {
        const own = within(scope, ofBlock(node.body, new Set()));
        return visitAll(node.body, own);
      }
      case 'SwitchStatement': {
        visit(node.discriminant, scope);
        const own = within(scope, ofBlock(node.cases.flatMap((one) => one.consequent), new Set()));
        return visitAll(node.cases, own);
      }
      case 'CatchClause': {
        const own = within(scope);
        declared(node.param, own.names);
        visitPattern(node.param, own);
        return visit(node.body, own);
      }
      case 'VariableDeclaration':
        for (const one of node.declarations) {
          visitPattern(one.id, scope);
          useOfPattern(one.id, objectOf(one.init), scope);
          visit(one.init, scope);
        }
        return;
      case 'AssignmentExpression':
        // Its variable is there from then on, also where nothing declares it.
        if (node.left.type === 'Identifier' && node.operator === '=') return visit(node.right, scope);
        if (node.left.type === 'ObjectPattern' || node.left.type === 'ArrayPattern') {
          visitPattern(node.left, scope);
          useOfPattern(node.left, objectOf(node.right), scope);
          return visit(node.right, scope);
        }
        break;
      case 'UnaryExpression':
        if (node.operator === 'typeof' && node.argument.type === 'Identifier') {
          guarded.add(node.argument.name);
          return;
        }
        break;
      case 'CallExpression':
        if (node.callee.type === 'Identifier' && node.callee.name === 'eval') isOpen = true;
        break;
      case 'WithStatement': isOpen = true; break;
      case 'LabeledStatement': return visit(node.body, scope);
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty': return;
    }
    children(node).forEach((child) => visit(child, scope));
  }

  // Variables that assignments make, wherever they stand.
  const assigned = (node, names) => {
    if (Array.isArray(node)) return node.forEach((item) => isNode(item) && assigned(item, names));
    if (node.type === 'AssignmentExpression' && node.operator === '=') declared(node.left, names);
    if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') declared(node.left, names);
    children(node).forEach((child) => assigned(child, names));
  };

  const addReturned = (node, line) => {
    if (!isNode(node)) return;
    const text = constantText(node);
    if (text !== undefined && !(node.type === 'Literal' && typeof node.value === 'number'))
      return returned.push([line, text]);
    switch (node.type) {
      case 'ConditionalExpression':
        addReturned(node.consequent, line);
        addReturned(node.alternate, line);
        break;
      case 'LogicalExpression':
        if (node.operator !== '&&') addReturned(node.left, line);
        addReturned(node.right, line);
        break;
      case 'ArrayExpression': node.elements.forEach((item) => addReturned(item, line)); break;
      case 'SequenceExpression': addReturned(node.expressions[node.expressions.length - 1], line); break;
    }
  };
  const findReturned = (node) => {
    if (Array.isArray(node)) return node.forEach((item) => isNode(item) && findReturned(item));
    if (isFunction(node)) return;
    if (node.type === 'ReturnStatement') addReturned(node.argument, lineOf(node));
    children(node).forEach(findReturned);
  };

  const program = parse(text);
  const top = within(null);
  assigned(program, top.names);
  hoisted(program, top.names);
  ofBlock(program.body, top.names);
  visitAll(program.body, top);
  if (isBody) findReturned(program.body[0].expression.callee.body);
  return JSON.stringify({
    uses: isOpen ? [] : uses.map(([line, names]) => [line, guarded.has(names[0]), names]),
    returned,
  });
})
