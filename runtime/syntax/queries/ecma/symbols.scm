; What JavaScript and TypeScript share. See runtime/syntax/symbol_captures.h for the captures.
(class_declaration name: (_) @name) @definition.class
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
((method_definition name: (property_identifier) @name) @definition.constructor (#eq? @name "constructor"))
(method_definition ["get" "set"] name: [(property_identifier) (private_property_identifier)] @name) @definition.property
(method_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method

(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
            (generator_function body: (_) @body)]) @declarator) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
            (generator_function body: (_) @body)]) @declarator) @definition.function
(lexical_declaration
  (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @declarator) @definition.class
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @declarator) @definition.constant
(lexical_declaration (variable_declarator name: (identifier) @name) @declarator) @definition.variable
(variable_declaration (variable_declarator name: (identifier) @name) @declarator) @definition.variable
(lexical_declaration
  (variable_declarator
    name: (object_pattern
      [(shorthand_property_identifier_pattern) @name
       (pair_pattern value: (identifier) @name)])) @declarator) @definition.variable
(lexical_declaration
  (variable_declarator name: (array_pattern (identifier) @name)) @declarator) @definition.variable

(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.method

; Functions and values that an older module hands out, and methods given to prototypes.
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)) @definition.variable
  (#any-of? @_exports "exports" "module.exports"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(assignment_expression
  left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)) @definition.field

(export_statement declaration: (_) @wrapped) @wrapper
(statement_block) @local
(for_statement) @local
(switch_body) @local
(comment) @comment
(decorator) @attribute
