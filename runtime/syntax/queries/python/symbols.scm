(class_definition name: (_) @name) @definition.class
((function_definition name: (_) @name) @definition.constructor (#eq? @name "__init__"))
(function_definition name: (_) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type_alias
(type_alias_statement left: (type (generic_type . (identifier) @name))) @definition.type_alias
(assignment right: (assignment left: (identifier) @name)) @definition.variable
(assignment left: (identifier) @name) @definition.variable
(assignment left: (pattern_list (identifier) @name)) @definition.variable
(assignment left: (tuple_pattern (identifier) @name)) @definition.variable
((assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)) @definition.field
  (#eq? @_self "self"))
((augmented_assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name)) @definition.field
  (#eq? @_self "self"))
((assignment
  left: (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @name))) @definition.field
  (#eq? @_self "self"))

(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
(class_definition body: (block . (expression_statement . (string) @doc)))
(function_definition body: (block . (expression_statement . (string) @doc)))
(decorated_definition definition: (_) @wrapped) @wrapper
(comment) @comment
