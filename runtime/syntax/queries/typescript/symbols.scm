; inherits: ecma

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: [(property_identifier) (string)] @name @definition.enum_member)
(enum_assignment name: [(property_identifier) (string)] @name) @definition.enum_member
(type_alias_declaration name: (_) @name) @definition.type_alias
(function_signature name: (_) @name) @declaration.function
(method_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @declaration.method
(abstract_method_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @declaration.method
(property_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.variable
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field
(required_parameter "readonly" pattern: (identifier) @name) @definition.field
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace

(type_parameters) @local
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(ambient_declaration (_) @wrapped) @wrapper
